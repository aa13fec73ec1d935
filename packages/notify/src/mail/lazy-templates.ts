import type { MailTemplates, TemplatesOptions } from './templates.ts'

/** Loads the template engine when a mail is written: a server without mails need not pay for it at its start. */
export function lazyTemplates(options: TemplatesOptions = {}): () => Promise<MailTemplates> {
  let loading: Promise<MailTemplates> | undefined
  return () => {
    loading ??= import('./templates.ts').then(({ createTemplates }) => createTemplates(options))
    return loading
  }
}
