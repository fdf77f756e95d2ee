/**
 * Checks for the command {@code prpf doctor}: {@link dev.prpf.cli.doctor.DoctorCommand} prints the results of {@link
 * dev.prpf.cli.doctor.Machine}, {@link dev.prpf.cli.doctor.Engines} and {@link dev.prpf.cli.doctor.DoctorCommand.Folders}. Nothing is written, and only CUDA's
 * runtime is loaded.
 */
@NullMarked
package dev.prpf.cli.doctor;

import org.jspecify.annotations.NullMarked;
