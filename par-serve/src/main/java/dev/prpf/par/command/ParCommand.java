package dev.prpf.par.command;

import picocli.CommandLine.Command;

/** {@code prpf par}. */
@Command(name = "par", description = "Make, train and run the reasoner.")
public final class ParCommand {}
