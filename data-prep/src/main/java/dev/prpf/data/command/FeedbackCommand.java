package dev.prpf.data.command;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.http.TimedExchange;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.io.AnswersMapping;
import dev.prpf.data.io.MalformedFileException;
import dev.prpf.data.io.RecordJson;
import dev.prpf.data.io.RecordStream;
import dev.prpf.data.io.SampleReader;
import dev.prpf.data.io.SampleWriter;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.commons.lang3.StringUtils;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prpf data feedback}: collects the feedback of a server's users as labelled records. */
@Command(
        name = "feedback",
        description = {
            "Collect the feedback of a server's users as labelled records.",
            "The answer of an accepted suggestion is right; after a rejected one silence is right. Set PRPF_API_KEY if the server"
                    + " has keys."
        },
        footer = "  ./prpf data feedback --user ann --data records.json --out records-2.json")
final class FeedbackCommand implements Runnable {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int SHOWN = 300;
    private static final Pattern IMAGE = Pattern.compile("[0-9a-f]{64}\\.\\w+");

    @Option(
            names = "--server",
            paramLabel = "URL",
            defaultValue = "http://127.0.0.1:8080",
            description = "The address of prpf serve (${DEFAULT-VALUE}).")
    private URI server = URI.create("");

    @Option(names = "--user", required = true, paramLabel = "NAME", description = "A user (repeatable).")
    private List<String> users = List.of();

    @Option(names = "--data", paramLabel = "FILE", description = "Records to copy to the new file before the feedback.")
    private @Nullable Path data;

    @Option(names = "--images", paramLabel = "DIR", description = "Folder for the screenshots of the feedback.")
    private @Nullable Path images;

    @Option(names = "--out", required = true, paramLabel = "FILE", description = "The new file of records.")
    private Path out = Path.of("");

    @Mixin
    private JsonOption output;

    private record Result(int records, int accepted, int rejected, String out) {}

    @Override
    public void run() {
        if (server.getHost() == null || server.getQuery() != null || server.getFragment() != null) {
            throw badServer();
        }
        AtomicFiles.requireNew(out);
        Map<String, Sample> samples = new LinkedHashMap<>();
        if (data != null) {
            SampleReader.readAll(data).forEach(sample -> samples.put(sample.id(), sample));
        }
        List<Sample> collected = new ArrayList<>();
        for (String user : users) {
            for (Sample sample : feedback(user)) {
                if (samples.putIfAbsent(sample.id(), sample) == null) {
                    collected.add(sample);
                }
            }
        }
        if (collected.isEmpty()) {
            throw new InvalidDataException(server + " has no new feedback of " + String.join(", ", users)
                    + "; --user must be the name in the requests");
        }
        SampleWriter.write(out, samples.values().iterator());
        int accepted = Math.toIntExact(
                collected.stream().filter(Sample::wantsIntervention).count());
        Result result = new Result(samples.size(), accepted, collected.size() - accepted, out.toString());
        output.printLines(
                result,
                () -> List.of("wrote " + result.records() + " records to " + out + ": " + accepted + " accepted, "
                        + result.rejected() + " rejected"));
    }

    private UsageException badServer() {
        return new UsageException("--server " + server + ": must be an address such as http://127.0.0.1:8080");
    }

    /** Returns the records of a user, and writes their images to {@code --images}. */
    private List<Sample> feedback(String user) {
        String path = "/v1/users/" + URLEncoder.encode(user, StandardCharsets.UTF_8);
        List<Sample> samples = new String(get(path + "/feedback"), StandardCharsets.UTF_8)
                .lines()
                .filter(line -> !line.isBlank())
                .map(this::sample)
                .toList();
        for (Sample sample : samples) {
            for (TraceStep.Screenshot image : sample.trajectory().screenshots()) {
                fetch(path + "/images/", image.path());
            }
        }
        return samples;
    }

    private Sample sample(String line) {
        try {
            RecordStream.RawRecord record = RecordStream.single(0, line.getBytes(StandardCharsets.UTF_8));
            Sample sample = new RecordJson(AnswersMapping.standard())
                    .read(record.json(), defect -> {})
                    .sample();
            if (sample != null) {
                return sample;
            }
        } catch (MalformedFileException e) {
            // reported below
        }
        throw new InvalidDataException(server + " answers with a line that is not a record: "
                + StringUtils.abbreviate(line, SHOWN) + "; --server must be the address of prpf serve");
    }

    private void fetch(String folder, String name) {
        if (images == null) {
            throw new UsageException("the feedback has screenshots; give --images DIR");
        }
        if (!IMAGE.matcher(name).matches()) {
            throw new InvalidDataException(
                    server + " names an image \"" + StringUtils.abbreviate(name, SHOWN) + "\", must be HASH.TYPE");
        }
        Path file = images.resolve(name);
        if (!Files.exists(file)) {
            byte[] content = get(folder + name);
            IoFailure.whileWriting(
                    file, () -> Files.createDirectories(file.toAbsolutePath().getParent()));
            AtomicFiles.write(file, stream -> stream.write(content));
        }
    }

    /**
     * Returns the body of an answer.
     *
     * @throws PrpfException 69 if no answer comes, or the server refuses the request
     */
    private byte[] get(String path) {
        URI address = URI.create(server.toString().replaceFirst("/+$", "") + path);
        try {
            return TimedExchange.get(address, System.getenv("PRPF_API_KEY"), LIMIT);
        } catch (IllegalArgumentException e) {
            throw badServer();
        } catch (IOException e) {
            throw new UnavailableException(address + " does not answer: " + IoFailure.reason(e)
                    + "; start ./prpf serve, or give its address with --server");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException("interrupted while requesting " + address);
        }
    }
}
