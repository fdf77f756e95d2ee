package dev.prpf.spark;

import dev.prpf.data.encode.text.OnnxTextEncoder;
import java.io.Serializable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.ArraySeq;

/**
 * Encodes the texts of a partition in order, in batches of some seconds; memory holds one batch.
 *
 * @param choice of the encoder
 */
record TextEncoding(ExecutorEncoder.Choice choice) implements FlatMapFunction<Iterator<TextEncoding.Text>, Row> {
    /** The columns of the rows. */
    static final StructType SCHEMA = new StructType()
            .add("index", DataTypes.LongType, false)
            .add("text", DataTypes.StringType, false)
            .add("embedding", DataTypes.createArrayType(DataTypes.FloatType, false), false);

    /** Number of characters encoded at once. */
    private static final int PIECE = 1 << 14;

    /** A text and its index in the input. */
    record Text(long index, String text) implements Serializable {}

    @Override
    public Iterator<Row> call(Iterator<Text> texts) {
        return new Encoded(ExecutorEncoder.of(choice), texts);
    }

    private static final class Encoded implements Iterator<Row> {
        private final OnnxTextEncoder encoder;
        private final Iterator<Text> texts;
        private final ArrayDeque<Row> ready = new ArrayDeque<>();

        Encoded(OnnxTextEncoder encoder, Iterator<Text> texts) {
            this.encoder = encoder;
            this.texts = texts;
        }

        @Override
        public boolean hasNext() {
            if (ready.isEmpty() && texts.hasNext()) {
                encode(piece());
            }
            return !ready.isEmpty();
        }

        private List<Text> piece() {
            List<Text> piece = new ArrayList<>();
            for (int length = 0; length < PIECE && texts.hasNext(); ) {
                Text text = texts.next();
                length += text.text().length() + 1;
                piece.add(text);
            }
            return piece;
        }

        private void encode(List<Text> piece) {
            float[][] vectors = encoder.encode(piece.stream().map(Text::text).toList());
            for (int i = 0; i < vectors.length; i++) {
                Text text = piece.get(i);
                ready.add(RowFactory.create(text.index(), text.text(), ArraySeq.unsafeWrapArray(vectors[i])));
            }
        }

        @Override
        public Row next() {
            if (!hasNext()) {
                throw new NoSuchElementException("there are no more texts");
            }
            return ready.remove();
        }
    }
}
