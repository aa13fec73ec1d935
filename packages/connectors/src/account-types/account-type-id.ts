const NAME = '[a-z0-9][a-z0-9._-]{0,99}'
const ID = new RegExp(`^(?:([A-Za-z0-9_-]{1,64})/)?(${NAME})$`)
const CONTEXT = /^[A-Za-z0-9_-]{1,64}$/
const WHOLE_NAME = new RegExp(`^${NAME}$`)

/** Whether a text can name an account type in a path: no context prefix. @see connectors.md 2.3 (2) */
export function isAccountTypeName(text: string): boolean {
  return WHOLE_NAME.test(text)
}

/** Parts of an id, or undefined when it is none. @see connectors.md 2.1 `_id` */
export function parseAccountTypeId(
  id: string,
): { readonly context: string | undefined; readonly name: string } | undefined {
  const [, context, name] = ID.exec(id) ?? []
  return name === undefined ? undefined : { context, name }
}

/** The id of a name in a context. */
export function accountTypeId(name: string, context: string): string {
  return `${context}/${name}`
}

/** Whether entries can exist for a context of this name. */
export function isContextName(context: string | undefined): context is string {
  return context !== undefined && CONTEXT.test(context)
}
