import { setFlagsFromString } from 'node:v8'

// Signing and file reads share the thread pool with the passphrase hashes (D17). The size is read once, at the pool's
// first use: it is set here, before anything is imported that uses it.
process.env['UV_THREADPOOL_SIZE'] ??= '8'

// Loading the program leaves much garbage at once. A young generation that grew for it would keep about 25 MiB for
// good, so it grows only once there are requests.
setFlagsFromString('--semi-space-growth-factor=1')
const { checkNodeVersion } = await import('./checks/node-version.ts')
const { state, text, remedy } = checkNodeVersion()
if (state === 'ok') {
  const { serve } = await import('./serve.ts')
  await serve()
  const { giveBackMemory } = await import('./give-back.ts')
  giveBackMemory()
} else {
  process.stderr.write(`${text} ${remedy}\n`)
  process.exitCode = 78
}
setFlagsFromString('--semi-space-growth-factor=2')
