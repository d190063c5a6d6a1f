import type { Locator, Page } from 'playwright-core';

/** What a user does with a page, counted: each click, key that sends a form, field that is filled, file that is given. */
export class Steps {
  private taken = 0;

  get count(): number {
    return this.taken;
  }

  async click(target: Locator): Promise<void> {
    this.taken += 1;
    await target.click();
  }

  async press(page: Page, key: string): Promise<void> {
    this.taken += 1;
    await page.keyboard.press(key);
  }

  async fill(field: Locator, text: string): Promise<void> {
    this.taken += 1;
    await field.fill(text);
  }

  async choose(field: Locator, option: string): Promise<void> {
    this.taken += 1;
    await field.selectOption(option);
  }

  async give(field: Locator, file: string): Promise<void> {
    this.taken += 1;
    await field.setInputFiles(file);
  }
}
