// Cache strings of GPGPU-Sim's configurations (GTX 480 to RTX 3070) and of its defaults, and some to fill the table of
// policies. Write ratio 25 where they have it.
static const struct {
	const char *text;
	enum cache_role role;
	uint32_t write_ratio;
} strings[] = {
	{"N:4:128:4,L:R:f:N:L,S:2:32,4", CACHE_INST_CONST, 0},
	{"N:8:128:4,L:R:f:N:L,S:2:48,4", CACHE_INST_CONST, 0},
	{"N:64:128:16,L:R:f:N:L,S:2:48,4", CACHE_INST_CONST, 0},
	{"N:64:64:2,L:R:f:N:L,S:2:32,4", CACHE_INST_CONST, 0},
	{"N:128:64:2,L:R:f:N:L,S:2:64,4", CACHE_INST_CONST, 0},
	{"N:128:64:8,L:R:f:N:L,S:2:64,4", CACHE_INST_CONST, 0},
	{"4:256:4,L:R:f:N,A:2:32,4", CACHE_INST_CONST, 0},
	{"64:64:2,L:R:f:N,A:2:32,4", CACHE_INST_CONST, 0},
	{"N:2:64:2,F:R:m:N:X,A:2:2,1", CACHE_INST_CONST, 0},
	{"N:32:128:4,L:L:m:N:H,S:64:8,8", CACHE_L1D, 0},
	{"S:4:128:32,L:L:s:N:L,A:256:8,16:0,32", CACHE_L1D, 0},
	{"S:4:128:96,L:L:s:N:L,A:256:8,16:0,32", CACHE_L1D, 0},
	{"S:1:128:512,L:L:s:N:L,A:256:8,16:0,32", CACHE_L1D, 0},
	{"S:4:128:64,L:T:m:L:L,A:512:8,16:0,32", CACHE_L1D, 25},
	{"S:4:128:64,L:T:m:L:L,A:256:32,16:0,32", CACHE_L1D, 25},
	{"S:4:128:256,L:T:m:L:L,A:384:48,16:0,32", CACHE_L1D, 25},
	{"S:2:128:2,L:T:m:L:X,A:3:2,3:0,32", CACHE_L1D, 60},
	{"N:2:128:2,L:E:f:N:L,A:3:2,2", CACHE_L1D, 0},
	{"N:2:128:2,L:B:m:W:L,S:3:2,4", CACHE_L1D, 0},
	{"N:2:128:2,F:B:m:F:L,A:3:2,1", CACHE_L1D, 0},
	{"N:2:128:2,L:B:m:L:L,A:3:2,4", CACHE_L1D, 0},
	{"S:4:128:2,L:L:m:W:L,A:4:2,4:0,16", CACHE_L1D, 0},
	{"S:64:128:8,L:B:m:L:L,A:256:4,4:0,32", CACHE_L2, 0},
	{"S:32:128:16,L:B:m:L:P,A:256:64,16:0,32", CACHE_L2, 0},
	{"S:64:128:16,L:B:m:L:P,A:256:64,16:0,32", CACHE_L2, 0},
	{"S:64:128:16,L:B:m:L:P,A:192:4,32:0,32", CACHE_L2, 0},
	{"S:32:128:24,L:B:m:L:P,A:192:4,32:0,32", CACHE_L2, 0},
	{"64:128:8,L:B:m:N,A:16:4,4", CACHE_L2, 0},
	{"S:4:128:1,L:B:m:F:X,A:2:1,2:0,32", CACHE_L2, 0},
	{"S:16:128:2,F:B:m:W:P,A:4:2,3:0,32", CACHE_L2, 0},
	{"N:4:128:24,L:R:m:N:L,T:128:4,128:2", CACHE_TEXTURE, 0},
	{"N:16:128:24,L:R:m:N:L,T:128:4,128:2", CACHE_TEXTURE, 0},
	{"N:4:128:256,L:R:m:N:L,T:512:8,128:2", CACHE_TEXTURE, 0},
	{"8:128:5,L:R:m:N,F:128:4,128:2", CACHE_TEXTURE, 0},
	{"N:2:128:1,F:R:m:N:L,F:3:1,2:1", CACHE_TEXTURE, 0},
};
