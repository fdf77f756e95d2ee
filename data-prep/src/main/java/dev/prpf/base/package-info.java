/**
 * Infrastructure of all modules without domain types: errors, files, images, runs, checkpoints, configuration, command lines,
 * workflow stages, HTTP, the hub, reports and statistics. Depends on no other package of the project.
 */
@NullMarked
package dev.prpf.base;

import org.jspecify.annotations.NullMarked;
