package dev.prpf.data.episode;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.json.JsonRecords;
import java.io.IOException;
import java.io.LineNumberReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes episodes as JSON Lines: for each episode its header and its steps, up to the end. Reading is strict. Memory holds
 * one episode.
 */
public final class EpisodeFile implements Episode.Source {
    private static final String TRUNCATED = "the episode has no end; the file is truncated, restore or import it again";

    /** Writes an episode's lines. */
    public static void write(OutputStream out, Episode episode) throws IOException {
        line(out, episode.header());
        for (EpisodeStep step : episode.steps()) {
            line(out, step);
        }
    }

    private static void line(OutputStream out, Object record) throws IOException {
        out.write((JsonRecords.write(record) + "\n").getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void read(Path file, Consumer<Episode> episodes) {
        Reading reading = new Reading(file, episodes);
        try (LineNumberReader lines = new LineNumberReader(Files.newBufferedReader(file, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                reading.line(lines.getLineNumber(), line);
            }
            reading.end(lines.getLineNumber());
        } catch (IOException e) {
            throw IoFailure.reading(file, e);
        }
    }

    /** Collects the lines of an episode. */
    private static final class Reading {
        private final Path file;
        private final Consumer<Episode> episodes;
        private final List<EpisodeStep> steps = new ArrayList<>();
        private Episode.@Nullable Header header;
        private Episode.Order order = new Episode.Order(Episode.Clock.ORDER);
        private int count;

        Reading(Path file, Consumer<Episode> episodes) {
            this.file = file;
            this.episodes = episodes;
        }

        void line(int number, String line) {
            String place = file + ":" + number;
            if (header == null) {
                header = JsonRecords.read(place, "header of an episode", line, Episode.Header.class);
                order = new Episode.Order(header.clock());
                return;
            }
            EpisodeStep step = JsonRecords.read(place, "step", line, EpisodeStep.class);
            try {
                order.add(step);
            } catch (IllegalArgumentException e) {
                throw new InvalidDataException(place + ": " + e.getMessage());
            }
            steps.add(step);
            if (order.ended()) {
                count++;
                episodes.accept(new Episode(header, steps));
                header = null;
                steps.clear();
            }
        }

        void end(int number) {
            if (header != null) {
                throw new InvalidDataException(file + ":" + number + ": " + TRUNCATED);
            }
            if (count == 0) {
                throw new InvalidDataException(file + ": holds no episodes");
            }
        }
    }
}
