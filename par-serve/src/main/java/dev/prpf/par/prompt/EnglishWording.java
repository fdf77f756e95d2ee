package dev.prpf.par.prompt;

import dev.prpf.data.Modality;
import dev.prpf.par.response.ReasoningMode;

/** The prose of {@link PromptWording#ENGLISH}: what {@link FullWording} says, in English and in fewer words. */
final class EnglishWording implements Prose {
    @Override
    public String task(Modality modality) {
        return "You are a proactive phone assistant. Judge by the user's "
                + (modality == Modality.MULTIMODAL ? "screens" : "steps")
                + " and situation whether to recommend function calls now.\n";
    }

    @Override
    public String instructions(ReasoningMode reasoning, Modality modality) {
        StringBuilder text = new StringBuilder("Output");
        if (reasoning == ReasoningMode.FULL) {
            text.append(" in this order:\n");
            if (modality == Modality.MULTIMODAL) {
                text.append(
                        "<ui_summary>What changed on the screens, their key parts and the stage the user is at; name apps,"
                                + " page titles, contacts and files.</ui_summary>\n");
            }
            text.append(
                    "<thinking>Step by step: what the user does and with what; the intent, and whether the task begins, goes on"
                            + " or is done; whether a need is left, and if none is, that nothing is to be recommended; else what to recommend,"
                            + " why now, and the app, object or receiver. <function_selection>Compare the available functions, then state"
                            + " those chosen and their parameters; leave this block out where nothing is recommended."
                            + "</function_selection></thinking>\n");
        } else {
            text.append(' ');
        }
        return text.append(
                        "<recommendations>[{\"instruction\": \"…\", \"function\": [{\"name\": \"…\", \"parameters\": {…}}]}]"
                                + "</recommendations> with available functions and all their required parameters, or"
                                + " <recommendations>[]</recommendations> if none fits.")
                .toString();
    }
}
