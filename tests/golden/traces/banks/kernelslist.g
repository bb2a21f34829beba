kernel-1.traceg.gz
#wait
MemcpyHtoD,0x00007e9000000000,2048
