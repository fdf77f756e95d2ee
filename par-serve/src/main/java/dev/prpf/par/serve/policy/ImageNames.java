package dev.prpf.par.serve.policy;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.image.EncodedImage.ImageFormat;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.image.DataUrl;
import dev.prpf.par.serve.http.ApiException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A sample with file names in place of its data URLs. The images are known to have headers of a supported format.
 *
 * @param sample each image's path is {@code SHA256.TYPE}
 * @param images content by file name
 */
record ImageNames(Sample sample, Map<String, byte[]> images) {
    private static final Pattern NAME = Pattern.compile("[0-9a-f]{64}\\.(png|jpeg|gif|bmp)");
    /**
     * Replaces the data URLs by names.
     *
     * @throws InvalidDataException for a path that is not a data URL of an image
     */
    static ImageNames of(Sample sample) {
        Map<String, byte[]> images = new LinkedHashMap<>();
        List<TraceStep> steps = new ArrayList<>();
        for (TraceStep step : sample.trajectory().steps()) {
            steps.add(step instanceof TraceStep.Screenshot shot ? named(shot, images) : step);
        }
        return new ImageNames(sample.with(sample.context(), new Trajectory(steps), sample.answers()), images);
    }

    private static TraceStep named(TraceStep.Screenshot shot, Map<String, byte[]> images) {
        byte[] bytes = DataUrl.bytes(shot.path());
        String name = AtomicFiles.sha256(bytes) + "." + ImageFormat.of(bytes);
        images.put(name, bytes);
        return new TraceStep.Screenshot(name);
    }

    /** Returns the media type for a file name, such as {@code image/png}; throws "not found" for an invalid name. */
    static String type(String name) {
        Matcher matcher = NAME.matcher(name);
        if (!matcher.matches()) {
            throw notFound();
        }
        return "image/" + matcher.group(1);
    }

    static ApiException notFound() {
        return ApiException.notFound(null, "image_not_found", "this user has no image of that name");
    }
}
