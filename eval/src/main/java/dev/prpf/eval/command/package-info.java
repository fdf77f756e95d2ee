/**
 * The commands of {@code prpf eval}. {@link RunCommand} and its loop {@link CascadeRun} make predictions with a {@link
 * dev.prpf.par.cascade.LoadedCascade}. {@link ScoreCommand}, {@link CompareCommand}, {@link ReportCommand} and others read predictions. Classes named
 * {@code …Options} are the options that several commands share.
 */
@NullMarked
package dev.prpf.eval.command;

import org.jspecify.annotations.NullMarked;
