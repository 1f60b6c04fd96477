import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DateTrigger } from "../graph-types.ts";
import { daysOf, momentIn, nextMark } from "./moments.ts";

const YEARLY: DateTrigger = { type: "date", field: "field:x", offsetDays: 0, repeat: "yearly", at: "09:00" };
const at = (text: string) => new Date(text);

describe("when a date lets people in", () => {
  it("is at a quarter of an hour after the minute it names, and never at the one that was looked at", () => {
    const cases: [hour: string, after: string, mark: string][] = [
      ["09:00", "2026-03-01T08:59:59.999Z", "2026-03-01T09:00:00Z"],
      ["09:00", "2026-03-01T09:00:00Z", "2026-03-01T09:15:00Z"],
      ["09:07", "2026-03-01T09:00:00Z", "2026-03-01T09:07:00Z"],
      ["09:52", "2026-03-01T09:07:00Z", "2026-03-01T09:22:00Z"],
      ["09:59", "2026-03-01T23:59:30Z", "2026-03-02T00:14:00Z"],
    ];
    for (const [hour, after, mark] of cases)
      assert.deepEqual(nextMark([{ ...YEARLY, at: hour }], at(after)), at(mark), `${hour} after ${after}`);
    const both = [YEARLY, { ...YEARLY, at: "10:07" }];
    assert.deepEqual(nextMark(both, at("2026-03-01T09:00:00Z")), at("2026-03-01T09:07:00Z"));
    assert.equal(nextMark([], at("2026-03-01T09:00:00Z")), undefined);
  });

  it("is at such a quarter in every zone and every month", () => {
    for (const zone of Intl.supportedValuesOf("timeZone"))
      for (let month = 0; month < 240; month++) {
        const day = Temporal.PlainDate.from("2020-01-15").add({ months: month });
        const { offsetNanoseconds } = day.toZonedDateTime(zone);
        assert.ok(Number.isInteger(offsetNanoseconds / (15 * 60e9)), `${zone} ${day}`);
      }
  });

  it("is found by days around the window, shifted by the offset", () => {
    const window = { from: at("2027-03-01T08:50:00Z"), to: at("2027-03-01T09:05:00Z") };
    const yearly = ["02-27", "02-28", "03-01", "03-02", "03-03", "02-29"];
    assert.deepEqual(daysOf(YEARLY, window), yearly);
    assert.deepEqual(daysOf({ ...YEARLY, repeat: "once", offsetDays: -3 }, window), [
      "2027-03-02",
      "2027-03-03",
      "2027-03-04",
      "2027-03-05",
      "2027-03-06",
    ]);
  });

  it("is in a window with its end and without its beginning", () => {
    const moment = at("2027-03-01T09:00:00Z");
    const [before, after] = [new Date(moment.getTime() - 1), new Date(moment.getTime() + 1)];
    for (const repeat of ["yearly", "once"] as const) {
      const find = (from: Date, to: Date) =>
        momentIn({ ...YEARLY, repeat }, "2027-03-01", "UTC", { from, to });
      assert.deepEqual(find(before, moment), moment);
      assert.equal(find(moment, after), undefined);
      assert.deepEqual(find(before, after), moment);
    }
  });

  it("always has its day among those that are looked for, wherever the person is", () => {
    const zones = ["Pacific/Kiritimati", "Pacific/Pago_Pago", "Australia/Lord_Howe", "America/New_York"];
    for (const zone of zones)
      for (const offsetDays of [-366, -3, 0, 1, 366])
        for (const repeat of ["yearly", "once"] as const)
          for (const hour of ["00:00", "02:30", "23:59"])
            for (const day of ["2026-12-31", "2028-02-29", "2027-03-14", "2027-11-07"]) {
              const trigger = { ...YEARLY, offsetDays, repeat, at: hour };
              const window = { from: at("2020-01-01T00:00:00Z"), to: at("2040-01-01T00:00:00Z") };
              const moment = momentIn(trigger, day, zone, window);
              assert.ok(moment);
              const narrow = { from: new Date(moment.getTime() - 1), to: moment };
              const days = daysOf(trigger, narrow);
              assert.ok(days.includes(repeat === "once" ? day : day.slice(5)), `${zone} ${day} ${hour}`);
            }
  });
});
