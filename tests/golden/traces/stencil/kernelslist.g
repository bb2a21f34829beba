MemcpyHtoD,0x00007e9000000000,16384
kernel-1.traceg.gz
#wait
kernel-2.traceg.gz
#wait
MemcpyHtoD,0x00007e9000000000,16384
