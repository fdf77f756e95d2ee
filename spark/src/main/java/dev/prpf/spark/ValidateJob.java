package dev.prpf.spark;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.ExitCode;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.command.RecordsOptions;
import dev.prpf.data.io.AnswersMapping;
import dev.prpf.data.io.Finding;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.RecordChecker;
import dev.prpf.data.io.RecordStream.RawRecord;
import dev.prpf.data.io.Validator;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import scala.Tuple2;

/** Runs {@code data validate} over any number of records. */
@Command(
        name = "validate",
        description = {
            "Find every defect of records and of their function pool.",
            "Exit code 65 if any finding is fatal; see docs/VALIDATE.md for the rules."
        },
        footer = {"", "Example:", "  prpf-spark validate --data records --pool function_pool.json --out findings"})
final class ValidateJob extends SparkJob {
    @Mixin
    private RecordsOptions records = new RecordsOptions();

    @Mixin
    private InputOptions input = new InputOptions();

    @Option(names = "--pool", required = true, paramLabel = "FILE", description = "The pool, on the driver's machine.")
    private Path pool = Path.of("");

    @Option(names = "--images", paramLabel = "DIR", description = "Root of the image paths, for every executor.")
    private @Nullable String images;

    @Option(names = "--unlabelled", description = "Allow records without answers.")
    private boolean unlabelled;

    @Option(names = "--out", required = true, paramLabel = "DIR", description = "The findings, as JSON Lines.")
    private String out = "";

    @Mixin
    private JsonOption output = new JsonOption();

    private record Summary(long records, long fatal, long warnings, String out) {}

    /** A finding as its JSON line. */
    private record Found(boolean fatal, String json) implements Serializable {
        Found(Finding finding) {
            this(finding.defect().isFatal(), finding.toJson().toString());
        }
    }

    @Override
    ExitCode run(SparkSession spark) {
        OutputFolder.requireFree("--out", out, spark.sparkContext());
        List<Found> ofPool = new ArrayList<>();
        FunctionPoolFile.Reading reading =
                FunctionPoolFile.read(pool, defect -> ofPool.add(new Found(new Finding(null, defect))));
        Check check = new Check(reading, records.covering(pool), images, unlabelled, records.mapping());
        check.checker(); // rejects a missing image root on the driver
        JavaRDD<Numbered> lines = input.lines(spark, records.data, ParquetColumns.RECORDS);
        Known known = check.known(lines);
        if (known.records() == 0) {
            ofPool.add(new Found(Validator.noRecords()));
        }
        JavaRDD<Found> found = context(spark)
                .parallelize(ofPool, 1)
                .union(lines.flatMap(line -> {
                    List<Found> findings = new ArrayList<>();
                    check.findings(line, known, finding -> findings.add(new Found(finding)));
                    return findings.iterator();
                }))
                .persist(StorageLevel.MEMORY_AND_DISK());
        found.map(Found::json).saveAsTextFile(out);
        long fatal = found.filter(Found::fatal).count();
        output.print(new Summary(known.records(), fatal, found.count() - fatal, out));
        return fatal == 0 ? ExitCode.DONE : ExitCode.BAD_DATA;
    }

    /** The number of records, the first record of each duplicate id, and the first with images (or -1). */
    private record Known(long records, Map<String, Long> first, long unchecked) implements Serializable {}

    /** Checks single records in tasks. */
    private record Check(
            FunctionPoolFile.Reading pool,
            ScenarioCatalog catalog,
            @Nullable String images,
            boolean unlabelled,
            AnswersMapping mapping)
            implements Serializable {
        RecordChecker checker() {
            return new RecordChecker(
                    pool,
                    new Validator.Settings(catalog, images == null ? null : Path.of(images), unlabelled, mapping));
        }

        /** Collects the facts about all records; images are not read for them. */
        Known known(JavaRDD<Numbered> lines) {
            Check check = new Check(pool, catalog, null, unlabelled, mapping);
            JavaRDD<Asked> asked = lines.map(line -> check.findings(line, new Known(0, Map.of(), -1), finding -> {}))
                    .persist(StorageLevel.MEMORY_AND_DISK());
            JavaPairRDD<String, Long> ids = asked.filter(record -> record.id != null)
                    .mapToPair(record -> new Tuple2<>(record.id, record.index));
            Map<String, Long> first = new HashMap<>(SampleParser.duplicates(ids)
                    .mapValues(indices -> indices.get(0))
                    .collectAsMap());
            List<Long> images = asked.filter(record -> record.images)
                    .map(record -> record.index)
                    .takeOrdered(1);
            return new Known(asked.count(), first, images.isEmpty() ? -1 : images.get(0));
        }

        /** Reports the findings about a record in order. */
        Asked findings(Numbered line, Known known, Consumer<Finding> findings) {
            Asked asked = new Asked(line.index(), known);
            RawRecord raw = line.raw(findings);
            if (raw != null) {
                checker().check(raw, asked, findings);
            }
            return asked;
        }
    }

    /** Answers what the check of a record asks about all records, and keeps the questions. */
    private static final class Asked implements RecordChecker.Before, Serializable {
        private static final long serialVersionUID = 1L;

        private final long index;
        private final transient Known known;
        private @Nullable String id;
        private boolean images;

        Asked(long index, Known known) {
            this.index = index;
            this.known = known;
        }

        @Override
        public @Nullable Long firstWith(String one, long at) {
            id = one;
            Long first = known.first().get(one);
            return first == null || first == at ? null : first;
        }

        @Override
        public boolean sayUnchecked() {
            boolean first = !images && known.unchecked() == index;
            images = true;
            return first;
        }
    }
}
