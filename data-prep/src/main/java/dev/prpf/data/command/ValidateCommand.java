package dev.prpf.data.command;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.data.check.Finding;
import dev.prpf.data.check.FindingSpool;
import dev.prpf.data.check.Validator;
import dev.prpf.data.check.Validator.Summary;
import dev.prpf.data.io.AnswersMapping;
import dev.prpf.data.io.ScenarioCatalogReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prpf data validate}: every defect of a data file, with its record, its JSON Pointer and the rule it breaks. */
@Command(
        name = "validate",
        description = {
            "Find every defect of a data file and of its function pool.",
            "Exit code 65 if any finding is fatal; see docs/VALIDATE.md for the rules."
        },
        footer = {"", "Example:", "  ./prpf data validate --data test.json --pool function_pool.json --images pictures"
        })
public final class ValidateCommand implements Callable<Integer> {
    @Option(
            names = "--data",
            required = true,
            paramLabel = "FILE",
            description = "Records: a JSON array, or JSON Lines.")
    private Path data = Path.of("");

    @Option(names = "--pool", required = true, paramLabel = "FILE", description = "The function pool.")
    private Path pool = Path.of("");

    @Option(
            names = "--images",
            paramLabel = "DIR",
            description = "Where picture paths begin; without it picture files are not checked.")
    private @Nullable Path images;

    @Option(names = "--scenarios", paramLabel = "FILE", description = "Scenario file (default: the 14 shipped).")
    private @Nullable Path scenarios;

    @Option(names = "--unlabelled", description = "Records without answers are allowed.")
    private boolean unlabelled;

    @Option(
            names = "--answers-key",
            paramLabel = "POINTER",
            description = "A further place of the answers, as a JSON Pointer (repeatable).")
    private List<String> answersKeys = List.of();

    @Mixin
    private JsonOption output;

    @Override
    public Integer call() {
        Validator validator = new Validator(
                pool,
                new Validator.Settings(
                        ScenarioCatalogReader.readOrShipped(scenarios),
                        images,
                        unlabelled,
                        AnswersMapping.standard().preferring(answersKeys)));
        Summary summary = output.json ? reportJson(validator) : reportText(validator);
        return (summary.fatal() == 0 ? ExitCode.DONE : ExitCode.BAD_DATA).status();
    }

    private Summary reportText(Validator validator) {
        Summary summary = validator.validate(data, (Finding finding) -> ResultStream.line(finding.toLine()));
        ResultStream.line(String.format(
                Locale.ROOT,
                "%s: %,d record(s), %,d fatal finding(s), %,d warning(s)",
                data,
                summary.records(),
                summary.fatal(),
                summary.warnings()));
        return summary;
    }

    private Summary reportJson(Validator validator) {
        try (FindingSpool spool = new FindingSpool()) {
            Summary summary = validator.validate(data, spool::add);
            ResultStream.stream(generator -> {
                generator.writeStartObject();
                generator.writeNumberField("records", summary.records());
                generator.writeNumberField("fatal", summary.fatal());
                generator.writeNumberField("warnings", summary.warnings());
                generator.writeFieldName("findings");
                spool.copyTo(generator);
                generator.writeEndObject();
            });
            return summary;
        }
    }
}
