package dev.prpf.par.teacher;

import dev.prpf.par.openai.SamplingSettings;

/**
 * What decides a model's rationales; the {@code teacher:} section of {@code configs/teacher.yaml}.
 *
 * @param model as the server calls it
 * @param sampling how its texts are drawn
 */
public record TeacherSettings(String model, SamplingSettings sampling) {
    public TeacherSettings {
        if (model.isBlank()) {
            throw new IllegalArgumentException("model is blank; name the model as the server's /v1/models does");
        }
    }
}
