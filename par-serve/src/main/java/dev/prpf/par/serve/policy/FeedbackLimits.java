package dev.prpf.par.serve.policy;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.TraceStep;
import dev.prpf.data.encode.image.DataUrl;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.HttpSettings;
import java.util.List;
import java.util.stream.Stream;
import org.apache.commons.lang3.StringUtils;

/**
 * Bounds of feedback, so that each of its records can be trained on and read by the cascade.
 *
 * @param pool the functions that a recommendation may call
 * @param http bounds of images
 * @param maxSteps of a trajectory
 * @param maxCharacters of all texts of a sample together, without images
 */
public record FeedbackLimits(FunctionPool pool, HttpSettings http, int maxSteps, int maxCharacters) {
    private static final String TRACE = "moment.trace";
    private static final int SHOWN = 60;

    /** @throws ApiException 413 for a sample beyond a bound, 400 for an image that cannot be read, naming the field */
    void require(Sample moment) {
        List<TraceStep> steps = moment.trajectory().steps();
        atMost(TRACE + " has", steps.size(), "steps", maxSteps);
        atMost(TRACE + " has", moment.trajectory().screenshots().size(), "pictures", http.maxPictures());
        long characters = Stream.concat(moment.context().texts().stream(), moment.trajectory().texts().stream())
                .mapToLong(String::length)
                .sum();
        atMost("the texts of moment have", characters, "characters together", maxCharacters);
        for (int i = 0; i < steps.size(); i++) {
            if (steps.get(i) instanceof TraceStep.Screenshot shot) {
                requirePicture(TRACE + "[" + i + "].picture", shot.path());
            }
        }
    }

    private static void atMost(String what, long count, String unit, long most) {
        if (count > most) {
            throw ApiException.tooLarge(what + " " + count + " " + unit + ", at most " + most + " are kept");
        }
    }

    private void requirePicture(String place, String url) {
        long pixels;
        try {
            byte[] content = DataUrl.bytes(url);
            PictureNames.requireType(content);
            pixels = Pixels.size(content).pixels();
        } catch (InvalidDataException e) {
            throw ApiException.invalid(place, place + ": " + e.getMessage());
        }
        atMost(place + " has", pixels, "pixels", http.maxPixels());
    }

    /**
     * Requires functions of the pool.
     *
     * @param place path of the recommendation in the body
     * @throws ApiException 400 for a call of a function that the pool does not have, naming its path
     */
    void require(Recommendation recommendation, String place) {
        for (int i = 0; i < recommendation.calls().size(); i++) {
            FunctionCall call = recommendation.calls().get(i);
            if (!pool.contains(call.name())) {
                String field = place + "[" + i + "].name";
                throw ApiException.invalid(
                        field,
                        field + " is \"" + StringUtils.abbreviate(call.name(), SHOWN)
                                + "\", must be a function of the pool");
            }
        }
    }
}
