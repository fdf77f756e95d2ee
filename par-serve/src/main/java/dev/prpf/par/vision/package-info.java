/**
 * The images of prompts and their encoding (vision encoders of Qwen2.5-VL and Qwen3.5). {@link dev.prpf.par.vision.VisualPrompt.VisionImage} is an image before
 * decoding. {@link dev.prpf.par.vision.VisionEncoder} turns it into the features that replace its placeholders' embeddings.
 */
@NullMarked
package dev.prpf.par.vision;

import org.jspecify.annotations.NullMarked;
