package dev.prpf.par.vision;

import static dev.prpf.base.config.Rule.require;

/**
 * The tokens of a vision-language model's vocabulary around and in place of images.
 *
 * @param image the placeholder of an image's merged patch
 * @param video the placeholder of a video's, which is not supported here
 * @param start precedes an image
 * @param end follows an image
 */
public record VisionTokens(int image, int video, int start, int end) {
    public VisionTokens {
        require(image >= 0, "image_token_id", image, "a token");
        require(video >= 0, "video_token_id", video, "a token");
        require(start >= 0, "vision_start_token_id", start, "a token");
        require(end >= 0, "vision_end_token_id", end, "a token");
    }
}
