MemcpyHtoD,0x00007e9000000000,32768
kernel-1.traceg.gz
#wait
kernel-2.traceg.gz
#wait
MemcpyHtoD,0x00007e9000008800,4
