"""One Spark application that audits several data sets: application.py PACKAGE [[WORD, …], …]

Its executors are processes of their own, which have pyspark and pyarrow, and this package from nobody but it.
"""

import json
import sys

# Not PYTHONPATH, which executors would inherit.
sys.path.insert(0, sys.argv[1])

from pyspark.sql import SparkSession  # noqa: E402

from appreceipt.spark import audit  # noqa: E402

# Three short jobs: what the JVM spends on optimising itself is not earned back.
QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

builder = SparkSession.builder.master("local-cluster[2,1,1024]")
for name, value in {
    "spark.driver.memory": "1g", "spark.executor.memory": "768m", "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", "spark.sql.codegen.wholeStage": "false",
    "spark.driver.extraJavaOptions": QUICK_START, "spark.executor.extraJavaOptions": QUICK_START,
}.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
for words in json.loads(sys.argv[2]):
    audit.main(words)
spark.stop()
