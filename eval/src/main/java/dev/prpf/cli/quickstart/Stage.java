package dev.prpf.cli.quickstart;

import java.util.List;

/**
 * One stage of the quickstart.
 *
 * @param name its key in the timings
 * @param about one line on what it does
 * @param commands the prpf commands it runs, as a user would type them
 */
record Stage(String name, String about, List<List<String>> commands) {}
