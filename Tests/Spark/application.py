"""A Spark application that audits several data sets: application.py PACKAGE [[WORD, …], …]

Its executors are separate processes with pyspark and pyarrow. They receive this package only from the application.
"""

import json
import sys

# Not in PYTHONPATH, which executors would inherit.
sys.path.insert(0, sys.argv[1])

from pyspark.sql import SparkSession  # noqa: E402

from appreceipt.spark import audit  # noqa: E402

# For three short jobs, the JVM's optimization costs more than it saves.
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
