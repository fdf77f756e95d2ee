package dev.prpf.data.command;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.io.Validator;
import dev.prpf.data.io.Validator.FindingSpool;
import dev.prpf.data.io.Validator.Summary;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prpf data validate}: reports every defect of a data file with its record, JSON Pointer and rule. */
@Command(
        name = "validate",
        description = {
            "Find every defect of a data file and of its function pool.",
            "Exit code 65 if any finding is fatal; see docs/VALIDATE.md for the rules."
        },
        footer = "  ./prpf data validate --data test.json --pool function_pool.json --images images")
final class ValidateCommand implements Callable<Integer> {
    @Mixin
    private RecordsOptions records;

    @Option(names = "--pool", required = true, paramLabel = "FILE", description = "The function pool.")
    private Path pool = Path.of("");

    @Option(
            names = "--images",
            paramLabel = "DIR",
            description = "Root of the image paths; without it image files are not checked.")
    private @Nullable Path images;

    @Option(names = "--unlabelled", description = "Allow records without answers.")
    private boolean unlabelled;

    @Mixin
    private JsonOption output;

    @Override
    public Integer call() {
        Validator.Settings settings =
                new Validator.Settings(records.covering(pool), images, unlabelled, records.mapping());
        Summary summary = output.json ? reportJson(settings) : reportText(settings);
        return (summary.fatal() == 0 ? ExitCode.DONE : ExitCode.BAD_DATA).status();
    }

    private Summary reportText(Validator.Settings settings) {
        Summary summary = Validator.validate(
                Path.of(records.data), pool, settings, finding -> ResultStream.line(finding.toLine()));
        ResultStream.line(String.format(
                Locale.ROOT,
                "%s: %,d record(s), %,d fatal finding(s), %,d warning(s)",
                records.data,
                summary.records(),
                summary.fatal(),
                summary.warnings()));
        return summary;
    }

    private Summary reportJson(Validator.Settings settings) {
        try (FindingSpool spool = new FindingSpool()) {
            Summary summary = Validator.validate(Path.of(records.data), pool, settings, spool::add);
            String counts = JsonRecords.write(summary);
            ResultStream.text(counts.substring(0, counts.length() - 1) + ",\"findings\":");
            spool.copyTo(ResultStream::text);
            ResultStream.line("}");
            return summary;
        }
    }
}
