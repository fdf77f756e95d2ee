package dev.prpf.par.teacher;

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
public record TeacherConfig(ServerSettings server, TeacherSettings teacher, @Nullable TokenPrice price) {}
