import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

/** Loaded with `--import` in front of a program: writes every module that was loaded to the file `LIST_MODULES`. */
const loaded = new Set<string>()
registerHooks({
  load(url, context, next) {
    loaded.add(url)
    return next(url, context)
  },
})
process.on('exit', () => {
  const list = [...loaded, ...(process as unknown as { moduleLoadList: string[] }).moduleLoadList]
  writeFileSync(String(process.env['LIST_MODULES']), list.join('\n'))
})
