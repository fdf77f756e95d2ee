package dev.prpf.spark;

import dev.prpf.data.encode.spec.EncoderPrecision;
import dev.prpf.data.encode.spec.EncoderSpec;
import dev.prpf.data.encode.spec.LongText;
import dev.prpf.data.encode.text.OnnxTextEncoder;
import java.io.Serializable;
import java.util.Iterator;
import java.util.stream.IntStream;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import scala.collection.immutable.ArraySeq;

/** Encodes the texts of a partition in order, in batches; with 0 threads, on all cores of an executor. */
record TextEncoding(String encoder, EncoderPrecision precision, LongText longText, int threads)
        implements FlatMapFunction<Iterator<TextEncoding.Text>, Row> {
    /** The columns of the rows. */
    static final String SCHEMA = "index BIGINT NOT NULL, text STRING NOT NULL, embedding ARRAY<FLOAT> NOT NULL";

    private static final int TEXTS = 256;

    /** A text and its index in the input. */
    record Text(long index, String text) implements Serializable {}

    @Override
    public Iterator<Row> call(Iterator<Text> texts) {
        return SparkJob.batches(texts, TEXTS)
                .flatMap(batch -> {
                    float[][] vectors =
                            open().encode(batch.stream().map(Text::text).toList());
                    return IntStream.range(0, vectors.length)
                            .mapToObj(i -> RowFactory.create(
                                    batch.get(i).index(), batch.get(i).text(), ArraySeq.unsafeWrapArray(vectors[i])));
                })
                .iterator();
    }

    /** Returns the encoder of this executor. */
    OnnxTextEncoder open() {
        int used = threads > 0 ? threads : ExecutorModels.cores();
        return ExecutorModels.of(
                this,
                OnnxTextEncoder.class,
                () -> new OnnxTextEncoder(
                        EncoderSpec.ofText(encoder), new OnnxTextEncoder.Running(precision, longText, used, false)));
    }
}
