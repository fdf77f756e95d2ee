package dev.prpf.cli.launch;

import dev.prpf.base.workflow.MemberState;
import org.jspecify.annotations.Nullable;

/**
 * How far a member is.
 *
 * @param member its number, from 0
 * @param exitCode it left with last; null before it left
 * @param starts times that it was started
 * @param detail what else is known; null where there is nothing
 * @param command its command line
 */
record MemberStatus(
        int member,
        MemberState state,
        @Nullable Integer exitCode,
        int starts,
        @Nullable String detail,
        String command) {}
