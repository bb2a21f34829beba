/* Launches with attributes: clusters, programmatic dependence, priorities. */
#ifndef CUDA_LAUNCH_H
#define CUDA_LAUNCH_H

typedef enum cudaLaunchAttributeID {
	cudaLaunchAttributeIgnore,
	cudaLaunchAttributeAccessPolicyWindow,
	cudaLaunchAttributeCooperative,
	cudaLaunchAttributeSynchronizationPolicy,
	cudaLaunchAttributeClusterDimension,
	cudaLaunchAttributeClusterSchedulingPolicyPreference,
	cudaLaunchAttributeProgrammaticStreamSerialization,
	cudaLaunchAttributeProgrammaticEvent,
	cudaLaunchAttributePriority,
	cudaLaunchAttributeMemSyncDomainMap,
	cudaLaunchAttributeMemSyncDomain,
	cudaLaunchAttributePreferredClusterDimension,
	cudaLaunchAttributeLaunchCompletionEvent,
	cudaLaunchAttributeDeviceUpdatableKernelNode,
	cudaLaunchAttributePreferredSharedMemoryCarveout
} cudaLaunchAttributeID;

typedef union cudaLaunchAttributeValue {
	char pad[64];
	int cooperative;
	struct {
		unsigned int x, y, z;
	} clusterDim;
	int clusterSchedulingPolicyPreference;
	int programmaticStreamSerializationAllowed;
	struct {
		cudaEvent_t event;
		int flags;
		int triggerAtBlockStart;
	} programmaticEvent;
	int priority;
	struct {
		cudaEvent_t event;
		int flags;
	} launchCompletionEvent;
	unsigned int sharedMemCarveout;
} cudaLaunchAttributeValue;

typedef struct cudaLaunchAttribute_st {
	cudaLaunchAttributeID id;
	char pad[8 - sizeof(cudaLaunchAttributeID)];
	cudaLaunchAttributeValue val;
} cudaLaunchAttribute;

typedef struct cudaLaunchConfig_st {
	dim3 gridDim, blockDim;
	size_t dynamicSmemBytes;
	cudaStream_t stream;
	cudaLaunchAttribute *attrs;
	unsigned int numAttrs;
} cudaLaunchConfig_t;

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args);
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *func, const cudaLaunchConfig_t *config);
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *func, const cudaLaunchConfig_t *config);

#endif
