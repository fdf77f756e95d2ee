package dev.prpf.cli.launch;

import dev.prpf.base.workflow.MemberState;
import org.jspecify.annotations.Nullable;

/**
 * Progress of a member.
 *
 * @param member its number, from 0
 * @param exitCode the last exit code; null before the first exit
 * @param detail further facts; null without any
 * @param command its command line
 */
record MemberStatus(
        int member,
        MemberState state,
        @Nullable Integer exitCode,
        int starts,
        @Nullable String detail,
        String command) {}
