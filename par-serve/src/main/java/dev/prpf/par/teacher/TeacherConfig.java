package dev.prpf.par.teacher;

import dev.prpf.par.openai.ServerSettings;
import dev.prpf.par.openai.TokenPrice;
import org.jspecify.annotations.Nullable;

/**
 * A teacher on a server: {@code configs/teacher.yaml}.
 *
 * @param server how it is reached
 * @param teacher what it is asked; other settings are asked anew
 * @param price what it costs, or null where that is nobody's question
 */
public record TeacherConfig(ServerSettings server, TeacherSettings teacher, @Nullable TokenPrice price) {}
