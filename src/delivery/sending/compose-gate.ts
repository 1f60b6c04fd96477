/**
 * In one sender any number of batches compose together, or one composes alone. After one alone, those that wait together go
 * first, so that a batch which is composed row by row holds up the others for no longer than one row.
 */
export type ComposeGate = {
  together<T>(work: () => Promise<T>): Promise<T>;
  alone<T>(work: () => Promise<T>): Promise<T>;
};

export function createComposeGate(): ComposeGate {
  const waitingTogether: (() => void)[] = [];
  const waitingAlone: (() => void)[] = [];
  let together = 0;
  let isAlone = false;

  function letIn(): void {
    if (isAlone) return;
    if (waitingAlone.length === 0) admitTogether();
    else if (together === 0) {
      isAlone = true;
      waitingAlone.shift()?.();
    }
  }

  function admitTogether(): void {
    for (const enter of waitingTogether.splice(0)) {
      together++;
      enter();
    }
  }

  return {
    async together(work) {
      await new Promise<void>((enter) => {
        waitingTogether.push(enter);
        letIn();
      });
      try {
        return await work();
      } finally {
        together--;
        letIn();
      }
    },
    async alone(work) {
      await new Promise<void>((enter) => {
        waitingAlone.push(enter);
        letIn();
      });
      try {
        return await work();
      } finally {
        isAlone = false;
        admitTogether();
        letIn();
      }
    },
  };
}
