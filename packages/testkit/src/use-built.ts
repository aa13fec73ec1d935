import { registerHooks } from 'node:module'

const built = new Set<string>()
let isHooked = false

/**
 * Has packages resolve to what they published, although our own resolve to their sources in tests: some name sources in
 * their `exports` too, which no runtime takes from there. To be called before the first `import()` that leads to them.
 */
export function useBuilt(...names: readonly string[]): void {
  for (const name of names) built.add(name)
  if (isHooked) return
  isHooked = true
  registerHooks({
    resolve(specifier, context, next) {
      const [first = '', second = ''] = specifier.split('/', 2)
      const name = first.startsWith('@') ? `${first}/${second}` : first
      if (!built.has(name)) return next(specifier, context)
      const conditions = context.conditions.filter((condition) => condition !== 'source')
      return next(specifier, { ...context, conditions })
    },
  })
}
