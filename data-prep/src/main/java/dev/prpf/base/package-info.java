/**
 * What every module uses and nothing of the domain: errors, files, pictures, runs and checkpoints, configuration, command lines and
 * stages of them, HTTP, the hub, reports and statistics. Depends on no other package of the house.
 */
@NullMarked
package dev.prpf.base;

import org.jspecify.annotations.NullMarked;
