package dev.prpf.par.vision;

import static dev.prpf.base.config.Rule.require;

/**
 * The tokens of a vision-language model's vocabulary that stand around pictures and in their places.
 *
 * @param image the placeholder of a picture's merged patch
 * @param video that of a film's, which is not understood here
 * @param start stands before a picture
 * @param end stands behind it
 */
public record VisionTokens(int image, int video, int start, int end) {
    public VisionTokens {
        require(image >= 0, "image_token_id", image, "a token");
        require(video >= 0, "video_token_id", video, "a token");
        require(start >= 0, "vision_start_token_id", start, "a token");
        require(end >= 0, "vision_end_token_id", end, "a token");
    }
}
