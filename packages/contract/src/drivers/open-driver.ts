import type { Driver } from './driver.ts'
import type { DriverOptions } from './driver-options.ts'

/**
 * Opens the driver of `--driver`: `http`, `chromium` or `command:<program>`.
 * @throws Error when it is none of them, or cannot be opened
 */
export async function openDriver(text: string, options: DriverOptions): Promise<Driver> {
  if (text === 'http') return options.pages
  if (text === 'chromium') {
    return (await import('./chromium-driver.ts')).openChromium(options)
  }
  const [, command = ''] = /^command:(.*)$/s.exec(text) ?? []
  if (command.trim() === '') throw new Error(`${text}: write http, chromium or command:<program>`)
  return (await import('./command-driver.ts')).openCommand(command, options)
}
