package dev.prpf.data.synth.screen;

import java.awt.Color;
import java.util.regex.Pattern;

/** The kinds of drawn screens. */
enum ScreenKind {
    NOTIFICATIONS(new Color(0x2A, 0x30, 0x3C), "通知|短信|弹出|推送|公告|Notification|SMS|Notice|Closed an ad"),
    CHAT(new Color(0xED, 0xEE, 0xF1), "消息|约他|问|群|让他|推荐|说|催他|托他|asks|writes|says|wants|Tells"),
    DIALOG(new Color(0xF4, 0xF5, 0xF7), "提示|提醒|建议|已|suggests|reminds|is set|saved"),
    LIST(new Color(0xF4, 0xF5, 0xF7), "");

    private final Color background;
    private final Pattern signs;

    ScreenKind(Color background, String signs) {
        this.background = background;
        this.signs = Pattern.compile(signs);
    }

    Color background() {
        return background;
    }

    static ScreenKind of(String sentence) {
        for (ScreenKind kind : values()) {
            if (kind.signs.matcher(sentence).find()) {
                return kind;
            }
        }
        return LIST;
    }
}
