// Which functions of the two APIs a program may call while a stream is capturing, if what they do has to do with no stream.
#ifndef LIBCUDA_GRAPH_CAPTURE_RULES_H
#define LIBCUDA_GRAPH_CAPTURE_RULES_H

enum capture_rule {
	CAPTURE_SAFE,   // always
	CAPTURE_UNSAFE, // not where cudaStreamCaptureMode forbids unsafe calls: they may wait for streams
	CAPTURE_NEVER,  // they do wait for all streams
};

// By the function's name as it is exported.
enum capture_rule capture_rule(const char *api);

#endif
