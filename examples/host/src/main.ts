// Signing and file reads share the thread pool with the passphrase hashes (D17). The size is read once, at the pool's
// first use: it is set here, before anything is imported that uses it.
process.env['UV_THREADPOOL_SIZE'] ??= '8'

const { serve } = await import('./serve.ts')
await serve()

// Makes this file a module.
export {}
