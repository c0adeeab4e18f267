module appreceipt

go 1.19
