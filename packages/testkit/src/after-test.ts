/** Loaded by mocha before any test. */

const closers: (() => unknown)[] = []

/** Runs this after the test that is running, once its own hooks have run: for what a helper opened. */
export function afterTest(close: () => unknown): void {
  closers.push(close)
}

/** A helper is loaded once, however many files use it: a hook of its own would belong to the first of them. */
export const mochaHooks = {
  async afterEach(): Promise<void> {
    for (const close of closers.splice(0)) await close()
  },
}
