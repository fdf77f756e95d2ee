/**
 * Scenarios: what a world holds at the start, what happens in it, what its user wants, and which calls are right. A {@link
 * dev.prpf.data.world.scenario.Scenario} is one YAML file. {@link dev.prpf.data.world.scenario.ScenarioCheck} finds events and
 * goals that cannot happen. {@link dev.prpf.data.world.scenario.PareScenario} converts the scenarios of PARE.
 *
 * <p>Invariant: reading what {@link dev.prpf.data.world.scenario.Scenario#write} returns gives an equal scenario.
 */
@NullMarked
package dev.prpf.data.world.scenario;

import org.jspecify.annotations.NullMarked;
