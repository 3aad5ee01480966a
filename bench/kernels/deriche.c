/* deriche: Deriche's recursive smoothing filter in single precision, forward and backward, along rows and then columns. */
#define ELEMENT float
#include "harness.h"

#ifndef W
#define W SIZE(64, 192, 720, 4096)
#endif
#ifndef H
#define H SIZE(64, 128, 480, 2160)
#endif
CONSTANTS(w = W, h = H)
#define SIZES int w, int h
#define ARRAYS MAT(float, in, w, h), MAT(float, out, w, h), MAT(float, y1, w, h), MAT(float, y2, w, h)
#define in(i, j) AT2(in, i, j, h)
#define out(i, j) AT2(out, i, j, h)
#define y1(i, j) AT2(y1, i, j, h)
#define y2(i, j) AT2(y2, i, j, h)

STORE2(float, in, W, H)
STORE2(float, out, W, H)
STORE2(float, y1, W, H)
STORE2(float, y2, W, H)

FUNCTION(init)
{
    for (int i = 0; i < w; i++)
        for (int j = 0; j < h; j++)
            in(i, j) = (float)positive(i, j);
}

KERNEL(float alpha)
{
    const float decay = __builtin_expf(-alpha), decay2 = __builtin_expf(-2.0f * alpha);
    const float gain = (1.0f - decay) * (1.0f - decay) / (1.0f + 2.0f * alpha * decay - decay2);
    const float a1 = gain, a2 = gain * decay * (alpha - 1.0f);
    const float a3 = gain * decay * (alpha + 1.0f), a4 = -gain * decay2;
    const float b1 = 2.0f * decay, b2 = -decay2;

    for (int i = 0; i < w; i++) {
        float ym1 = 0.0f, ym2 = 0.0f, xm1 = 0.0f;
        for (int j = 0; j < h; j++) {
            y1(i, j) = a1 * in(i, j) + a2 * xm1 + b1 * ym1 + b2 * ym2;
            xm1 = in(i, j);
            ym2 = ym1;
            ym1 = y1(i, j);
        }
    }
    for (int i = 0; i < w; i++) {
        float yp1 = 0.0f, yp2 = 0.0f, xp1 = 0.0f, xp2 = 0.0f;
        for (int j = h - 1; j >= 0; j--) {
            y2(i, j) = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2;
            xp2 = xp1;
            xp1 = in(i, j);
            yp2 = yp1;
            yp1 = y2(i, j);
        }
    }
    for (int i = 0; i < w; i++)
        for (int j = 0; j < h; j++)
            out(i, j) = y1(i, j) + y2(i, j);
    for (int j = 0; j < h; j++) {
        float tm1 = 0.0f, ym1 = 0.0f, ym2 = 0.0f;
        for (int i = 0; i < w; i++) {
            y1(i, j) = a1 * out(i, j) + a2 * tm1 + b1 * ym1 + b2 * ym2;
            tm1 = out(i, j);
            ym2 = ym1;
            ym1 = y1(i, j);
        }
    }
    for (int j = 0; j < h; j++) {
        float tp1 = 0.0f, tp2 = 0.0f, yp1 = 0.0f, yp2 = 0.0f;
        for (int i = w - 1; i >= 0; i--) {
            y2(i, j) = a3 * tp1 + a4 * tp2 + b1 * yp1 + b2 * yp2;
            tp2 = tp1;
            tp1 = out(i, j);
            yp2 = yp1;
            yp1 = y2(i, j);
        }
    }
    for (int i = 0; i < w; i++)
        for (int j = 0; j < h; j++)
            out(i, j) = y1(i, j) + y2(i, j);
}

FUNCTION(dump) { OUTPUT(out, w * h); }

MAIN((W, H), (in, out, y1, y2), (0.25f))
