/** Every component in its states, for whoever works on them: `npm run dashboard`, then /kit. */
import { Plus, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { ApiError } from "../../api/problem.ts";
import { Button } from "../../kit/button.tsx";
import { Chart, type ChartSeries } from "../../kit/charts/chart.tsx";
import { CopyButton } from "../../kit/copy-button.tsx";
import { Checkbox, PasswordField, SelectField, TextArea, TextField } from "../../kit/forms/field.tsx";
import { Form } from "../../kit/forms/form.tsx";
import { ProblemNote } from "../../kit/forms/problem-note.tsx";
import { RadioGroup } from "../../kit/forms/radio-group.tsx";
import { ConfirmDialog, FormDialog } from "../../kit/overlays/dialog.tsx";
import { Menu } from "../../kit/overlays/menu.tsx";
import { Empty, Failure, SkeletonLines } from "../../kit/states.tsx";
import { notify } from "../../kit/toasts.tsx";
import { AppearanceSettings } from "../settings/appearance.tsx";
import { STATUSES } from "../subscribers/search.ts";
import { StatusMark } from "../subscribers/status.tsx";

const refusal = new ApiError({
  status: 422,
  code: "validation_failed",
  detail: "the body has faults",
  errors: [{ pointer: "/text", code: "required", detail: "must not be empty" }],
});

const HOURS = Array.from({ length: 48 }, (_, hour) => Date.UTC(2026, 10, 13, 9 + hour));
const wave = (most: number) => HOURS.map((_, hour) => Math.round(most * Math.exp(-hour / 9)));
const SERIES: readonly ChartSeries[] = [
  { label: "By machines", colour: "--chart-machine", look: "hatched", values: wave(900) },
  { label: "Opened", colour: "--chart-1", look: "filled", values: wave(700) },
  { label: "Clicked", colour: "--chart-3", look: "line", values: wave(120) },
];

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="stack-4">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

export function Kit() {
  const [open, setOpen] = useState<"form" | "confirm" | null>(null);
  const close = () => setOpen(null);
  const kinds = ["plain", "primary", "go", "danger", "quiet"] as const;
  return (
    <main className="body stack-6" style={{ maxWidth: 760, margin: "32px auto" }}>
      <h1>Kit</h1>
      <AppearanceSettings />
      <Part title="Buttons">
        {(["sm", "md", "lg"] as const).map((size) => (
          <div key={size} className="row wrap">
            {kinds.map((kind) => (
              <Button key={kind} kind={kind} size={size} icon={Plus}>
                {kind}
              </Button>
            ))}
            <Button size={size} icon={Trash2} aria-label="Delete" />
            <Button size={size} busy>
              Busy
            </Button>
          </div>
        ))}
        <CopyButton text="copied" />
      </Part>
      <Part title="Chart">
        <Chart times={HOURS} series={SERIES} caption="Chart" timeHeading="Time" />
      </Part>
      <Part title="Fields">
        <Form submit={() => Promise.reject(refusal)}>
          <TextField name="text" label="Text" hint="Send the form to see a fault." />
          <PasswordField name="password" label="Password" />
          <SelectField name="select" label="Choice" options={[{ value: "a", label: "A" }]} optional />
          <TextArea name="area" label="Long text" />
          <Checkbox name="check" label="Tick" hint="With a hint" />
          <RadioGroup
            name="radio"
            legend="One of a few"
            defaultValue="a"
            choices={["a", "b"].map((value) => ({ value, label: value, hint: "What it means" }))}
          />
          <Button type="submit" kind="primary">
            Send
          </Button>
        </Form>
      </Part>
      <Part title="States">
        <div className="row wrap">
          {STATUSES.map((status) => (
            <StatusMark key={status} status={status} />
          ))}
        </div>
      </Part>
      <Part title="Pop-ups">
        <div className="row wrap">
          <Menu
            trigger={<Button>Menu</Button>}
            items={[
              { label: "One", run: close },
              { label: "Two", danger: true, run: close },
            ]}
          />
          <Button onClick={() => notify("Done", { label: "Undo", run: close })}>Toast</Button>
          <Button onClick={() => setOpen("form")}>Form dialog</Button>
          <Button onClick={() => setOpen("confirm")}>Confirmation</Button>
        </div>
      </Part>
      <Part title="In place of data">
        <ProblemNote error={refusal} />
        <Empty title="Empty" text="What it is for." />
        <Failure title="Unreadable" error={refusal} retry={close} />
        <SkeletonLines lines={3} />
      </Part>
      {open === "form" && (
        <FormDialog title="A form" action="Save" onClose={close} submit={() => Promise.reject(refusal)}>
          <TextField name="text" label="Text" />
        </FormDialog>
      )}
      {open === "confirm" && (
        <ConfirmDialog
          title="Delete 1,200?"
          lead="For good."
          action="Delete"
          people={1_200}
          confirm={async () => close()}
          onClose={close}
        />
      )}
    </main>
  );
}
