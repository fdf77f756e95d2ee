package dev.prpf.spark;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.ExitCode;
import dev.prpf.data.check.Finding;
import dev.prpf.data.check.RecordChecker;
import dev.prpf.data.check.Validator;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.spark.RecordCheck.Checked;
import dev.prpf.spark.RecordCheck.Found;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
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
        footer = {
            "",
            "Example:",
            "  spark-submit --class dev.prpf.spark.Main spark/target/prpf-spark.jar validate --data records \\",
            "      --pool function_pool.json --out findings"
        })
final class ValidateJob extends SparkJob {
    /** Number of kinds of findings at one position, in this order: about the id, about images, the record's own. */
    private static final int KINDS = 3;

    private static final int FINDINGS_A_FILE = 1_000_000;

    @Mixin
    private RecordsInput records = new RecordsInput();

    @Option(names = "--pool", required = true, paramLabel = "FILE", description = "The pool, on the driver's machine.")
    private Path pool = Path.of("");

    @Option(
            names = "--images",
            paramLabel = "DIR",
            description = "Root of the image paths, visible to every executor; without it image files are not checked.")
    private @Nullable String images;

    @Option(names = "--unlabelled", description = "Records without answers are allowed.")
    private boolean unlabelled;

    @Option(
            names = "--out",
            required = true,
            paramLabel = "DIR",
            description = "The findings, a JSON object a line, in the records' order.")
    private String out = "";

    @Mixin
    private JsonOption output = new JsonOption();

    private record Summary(long records, long fatal, long warnings, String out) {}

    private record Occurrence(long index, int at) implements Serializable {}

    @Override
    ExitCode run(SparkSession spark) {
        OutputFolder.requireFree("--out", out, context(spark).hadoopConfiguration());
        List<Finding> ofPool = new ArrayList<>();
        FunctionPoolFile.Reading reading = FunctionPoolFile.read(pool, defect -> ofPool.add(new Finding(null, defect)));
        RecordCheck.Against against =
                new RecordCheck.Against(reading, records.catalog(), images, unlabelled, records.mapping());
        against.checker(); // rejects a missing image root on the driver
        JavaRDD<Checked> checked =
                records.lines(spark).map(new RecordCheck(against)).persist(StorageLevel.MEMORY_AND_DISK());
        try {
            Summary summary = write(spark, checked, ofPool);
            output.print(summary);
            return summary.fatal() == 0 ? ExitCode.DONE : ExitCode.BAD_DATA;
        } finally {
            checked.unpersist();
        }
    }

    private Summary write(SparkSession spark, JavaRDD<Checked> checked, List<Finding> ofPool) {
        long count = checked.count();
        List<Tuple2<Place, Found>> few = new ArrayList<>();
        ofPool.forEach(finding -> few.add(new Tuple2<>(new Place(-1, few.size()), Found.of(finding))));
        if (count == 0) {
            few.add(new Tuple2<>(new Place(0, 0), Found.of(Validator.noRecords())));
        }
        firstUnchecked(checked).forEach(place -> few.add(new Tuple2<>(place, Found.of(RecordChecker.unchecked()))));
        JavaPairRDD<Place, Found> all = checked.flatMapToPair(ValidateJob::own)
                .union(duplicates(checked))
                .union(context(spark).parallelizePairs(few, 1))
                .persist(StorageLevel.MEMORY_AND_DISK());
        try {
            long findings = all.count();
            long fatal = all.filter(finding -> finding._2().fatal()).count();
            all.sortByKey(true, (int) (1 + findings / FINDINGS_A_FILE))
                    .map(finding -> finding._2().json())
                    .saveAsTextFile(out);
            return new Summary(count, fatal, findings - fatal, out);
        } finally {
            all.unpersist();
        }
    }

    private static Iterator<Tuple2<Place, Found>> own(Checked record) {
        return IntStream.range(0, record.findings().size())
                .mapToObj(i -> new Tuple2<>(
                        new Place(record.index(), KINDS * i + 2),
                        record.findings().get(i)))
                .iterator();
    }

    /** Returns the position of the first image, if images are not checked. */
    private static List<Place> firstUnchecked(JavaRDD<Checked> checked) {
        return checked.filter(record -> record.unchecked() >= 0)
                .map(record -> new Place(record.index(), KINDS * record.unchecked() + 1))
                .takeOrdered(1);
    }

    private static JavaPairRDD<Place, Found> duplicates(JavaRDD<Checked> checked) {
        return checked.filter(record -> record.id() != null)
                .mapToPair(record -> new Tuple2<>(record.id(), new Occurrence(record.index(), record.idAt())))
                .groupByKey()
                .flatMapToPair(ValidateJob::duplicatesOf);
    }

    private static Iterator<Tuple2<Place, Found>> duplicatesOf(Tuple2<String, Iterable<Occurrence>> all) {
        List<Occurrence> places = new ArrayList<>();
        all._2().forEach(places::add);
        places.sort(Comparator.comparingLong(Occurrence::index));
        Stream<Tuple2<Place, Found>> later = places.stream()
                .skip(1)
                .map(one -> new Tuple2<>(
                        new Place(one.index(), KINDS * one.at()),
                        Found.of(RecordChecker.duplicate(
                                all._1(), one.index(), places.get(0).index()))));
        return later.iterator();
    }
}
