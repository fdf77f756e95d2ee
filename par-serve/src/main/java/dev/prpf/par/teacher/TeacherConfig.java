package dev.prpf.par.teacher;

import dev.prpf.par.openai.SamplingSettings;
import dev.prpf.par.openai.ServerSettings;
import dev.prpf.par.openai.TokenPrice;
import org.jspecify.annotations.Nullable;

/**
 * A teacher on a server: {@code configs/teacher.yaml}.
 *
 * @param server how it is reached
 * @param teacher what decides its texts; with other settings every request is sent again
 * @param price what it costs, or null
 */
public record TeacherConfig(ServerSettings server, TeacherSettings teacher, @Nullable TokenPrice price) {

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
}
