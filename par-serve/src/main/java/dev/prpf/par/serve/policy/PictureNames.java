package dev.prpf.par.serve.policy;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.data.Sample;
import dev.prpf.data.TraceStep;
import dev.prpf.data.Trajectory;
import dev.prpf.data.encode.image.DataUrl;
import dev.prpf.par.serve.http.ApiException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A sample whose pictures came as data URLs, with names in their place. No pixel is decoded.
 *
 * @param sample each picture's path is {@code SHA256.TYPE}
 * @param pictures content by that name
 */
record PictureNames(Sample sample, Map<String, byte[]> pictures) {
    private static final Pattern NAME = Pattern.compile("[0-9a-f]{64}\\.(png|jpeg|webp)");
    /** How files of each type begin. */
    private static final Map<String, byte[]> MAGIC = Map.of(
            "png", HexFormat.of().parseHex("89504e470d0a1a0a"),
            "jpeg", HexFormat.of().parseHex("ffd8ff"),
            "webp", HexFormat.of().parseHex("52494646"));

    /**
     * Takes the pictures out.
     *
     * @param most pictures
     * @throws ApiException 400 for one that is no data URL of a picture, or more of them than {@code most}
     */
    static PictureNames of(Sample sample, int most) {
        int count = sample.trajectory().screenshots().size();
        if (count > most) {
            throw ApiException.invalid("moment.trace", "moment.trace has " + count + " pictures, at most " + most);
        }
        Map<String, byte[]> pictures = new LinkedHashMap<>();
        List<TraceStep> steps = new ArrayList<>();
        for (TraceStep step : sample.trajectory().steps()) {
            steps.add(step instanceof TraceStep.Screenshot shot ? named(shot, pictures) : step);
        }
        return new PictureNames(sample.with(sample.context(), new Trajectory(steps), sample.answers()), pictures);
    }

    private static TraceStep named(TraceStep.Screenshot shot, Map<String, byte[]> pictures) {
        byte[] bytes = bytes(shot.path());
        String type = MAGIC.entrySet().stream()
                .filter(magic -> Arrays.equals(magic.getValue(), Arrays.copyOf(bytes, magic.getValue().length)))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow(() -> refusal("is no PNG, JPEG or WebP"));
        String name = AtomicFiles.sha256(bytes) + "." + type;
        pictures.put(name, bytes);
        return new TraceStep.Screenshot(name);
    }

    private static byte[] bytes(String url) {
        try {
            return DataUrl.bytes(url);
        } catch (InvalidDataException e) {
            throw refusal("cannot be kept: " + e.getMessage());
        }
    }

    private static ApiException refusal(String why) {
        return ApiException.invalid("moment.trace", "a picture of moment.trace " + why);
    }

    /** The type of a picture of that name, {@code image/png}; a name that none can have is not found. */
    static String type(String name) {
        Matcher matcher = NAME.matcher(name);
        if (!matcher.matches()) {
            throw notFound();
        }
        return "image/" + matcher.group(1);
    }

    static ApiException notFound() {
        return ApiException.notFound(null, "picture_not_found", "this user has no picture of that name");
    }
}
