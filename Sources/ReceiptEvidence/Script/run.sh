
inclusion
