package dev.prpf.par.serve.cascade;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.image.DataUrl;
import dev.prpf.data.io.Defect;
import dev.prpf.data.io.RecordJson;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.HttpSettings;
import dev.prpf.par.serve.http.RequestFields;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a sample from a body: the fields of a record's {@code reference_information}, at its root or below that key. Images are accepted only as data
 * URLs; no path and no address is opened.
 *
 * @param http bounds of images
 * @param cascade bounds of texts and steps
 */
public record MomentReader(HttpSettings http, CascadeSettings cascade) {
    private static final String REFERENCE = "reference_information";
    private static final String PROFILE = "profile";
    private static final String PHONE = "phone";
    private static final String WORLD = "world";
    private static final String TRACE = "trace";
    private static final List<String> FIELDS = List.of(PROFILE, PHONE, WORLD, TRACE);
    private static final List<String> ROOT = List.of("user", "threshold", "passive", "stream");
    private static final int LONGEST_USER = 128;

    /**
     * Returns the object with the sample's fields.
     *
     * @throws ApiException 400 for a field of the request that is nested here, where it would be ignored
     */
    static RequestFields reference(RequestFields body) {
        RequestFields nested = body.object(REFERENCE);
        if (nested == null) {
            return body;
        }
        for (String name : ROOT) {
            nested.refuse(name, " there: \"" + name + "\" belongs at the body's root, next to " + REFERENCE);
        }
        body.json("benchmark_metadata"); // of a whole record: known, and of no use here
        return nested;
    }

    /**
     * Reads a complete sample.
     *
     * @param reference from {@link #reference}, or another object with the same fields
     * @throws ApiException 400 or 413, naming the field
     */
    public Sample sample(RequestFields reference, String id) {
        FIELDS.forEach(reference::json);
        List<Defect> defects = new ArrayList<>();
        Sample sample = RecordJson.readMoment(reference.object(), id, defects::add);
        if (sample == null) {
            Defect first = defects.stream().filter(Defect::isFatal).findFirst().orElseThrow();
            String place = path(reference, first.path());
            throw ApiException.invalid(place, place + ": " + first.message());
        }
        requireBounds(reference, sample);
        return sample;
    }

    /** Converts a JSON Pointer to the path for messages: {@code /trace/2/picture} to {@code trace[2].picture}. */
    private static String path(RequestFields reference, String pointer) {
        String[] names = pointer.substring(Math.min(1, pointer.length())).split("/", -1);
        StringBuilder path = new StringBuilder(reference.path(names[0]));
        for (int i = 1; i < names.length; i++) {
            path.append(names[i].matches("\\d+") ? "[" + names[i] + "]" : "." + names[i]);
        }
        return path.toString();
    }

    private void requireBounds(RequestFields reference, Sample sample) {
        List<TraceStep> steps = sample.trajectory().steps();
        String trace = reference.path(TRACE);
        if (steps.size() > cascade.maxSteps()) {
            throw ApiException.tooLarge(
                    trace, trace + " has " + steps.size() + " steps, at most " + cascade.maxSteps() + " are read");
        }
        http.requireFewImages(trace, sample.trajectory().screenshots().size());
        requireCharacters(null, sample.context(), sample.trajectory().texts());
        requireWords(reference, sample.context());
        for (int i = 0; i < steps.size(); i++) {
            String place = trace + "[" + i + "]";
            if (steps.get(i) instanceof TraceStep.Screenshot shot) {
                http.requireImage(place + ".picture", shot.path());
            } else if (steps.get(i) instanceof TraceStep.Caption caption) {
                requireWords(place, caption.text());
            }
        }
    }

    private static void requireWords(RequestFields fields, DeviceContext context) {
        requireWords(fields.path(PROFILE), context.profile());
        requireWords(fields.path(PHONE), context.phone());
        requireWords(fields.path(WORLD), context.world());
    }

    /** @throws ApiException 400 for a text with an image in it: it would be read where screenshots are withheld */
    static void requireWords(String place, String text) {
        if (DataUrl.within(text)) {
            throw ApiException.invalid(
                    place, place + " is a text that holds a data URL; an image is sent as an image's step or frame");
        }
    }

    /**
     * Bounds the texts of a sample.
     *
     * @param field that contained the last text; null if one request contained all texts
     * @throws ApiException 413 for texts that are too long together
     */
    void requireCharacters(@Nullable String field, DeviceContext context, List<String> steps) {
        long characters = context.texts().stream().mapToLong(String::length).sum()
                + steps.stream().mapToLong(String::length).sum();
        if (characters > cascade.maxCharacters()) {
            throw ApiException.tooLarge(
                    field,
                    "the texts of the moment have " + characters + " characters together, at most "
                            + cascade.maxCharacters() + " are read");
        }
    }

    /** Returns a session's context: each text of the body, or else the previous one. */
    DeviceContext context(RequestFields body, @Nullable DeviceContext before) {
        DeviceContext now = new DeviceContext(
                text(body, PROFILE, before == null ? null : before.profile()),
                text(body, PHONE, before == null ? null : before.phone()),
                text(body, WORLD, before == null ? null : before.world()));
        requireWords(body, now);
        return now;
    }

    private static String text(RequestFields body, String name, @Nullable String before) {
        String now = before == null ? body.requiredText(name) : body.text(name);
        return now == null ? String.valueOf(before) : now;
    }

    /** Reads a session's frame: {@code text} or {@code image}, one of the two. */
    TraceStep step(RequestFields body) {
        String text = body.text("text");
        String image = body.text("image");
        if ((text == null) == (image == null)) {
            throw ApiException.invalid(
                    text == null ? null : "image", "a frame has \"text\" or \"image\" (a data URL), one of the two");
        }
        if (image == null) {
            String words = String.valueOf(text);
            requireWords("text", words);
            return new TraceStep.Caption(words);
        }
        http.requireImage("image", image);
        return new TraceStep.Screenshot(image);
    }

    /** Returns the field {@code user}, or the API key's name without one. */
    static String user(RequestFields body, String caller) {
        JsonNode given = body.json("user");
        String user = body.text("user");
        if (given != null && (user == null || user.isBlank() || user.length() > LONGEST_USER)) {
            throw body.wrong("user", given, "a name of 1 to " + LONGEST_USER + " characters");
        }
        return user == null ? caller : user;
    }

    /** Returns τ of this request, or null for the server's. */
    static @Nullable Double threshold(RequestFields body) {
        return body.number("threshold", 0, 1);
    }
}
