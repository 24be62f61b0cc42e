/* The menu on small screens, dark and light, C or C++, and the search. Everything works without it but these; then C and
 * C++ are one below the other. */
(function () {
    "use strict";
    var root = document.documentElement, top = document.body.dataset.top;

    function byId(id) { return document.getElementById(id); }

    /* ---- The menu */

    var menuButton = byId("site-menu-button");
    menuButton.addEventListener("click", function () {
        var open = document.body.classList.toggle("menu-open");
        menuButton.setAttribute("aria-expanded", String(open));
    });
    var current = document.querySelector("#site-menu [aria-current]");
    if (current && current.offsetTop > window.innerHeight - 120) byId("site-menu").scrollTop = current.offsetTop - 200;

    /* ---- Dark and light */

    var themeButton = byId("site-theme-button"), system = matchMedia("(prefers-color-scheme: dark)");

    function isDark() { return root.dataset.theme ? root.dataset.theme === "dark" : system.matches; }

    function showTheme() { themeButton.setAttribute("aria-pressed", String(isDark())); }

    /* A choice that is the same as the system's is not remembered: the page follows the system again. */
    function chooseTheme(dark) {
        var chosen = dark === system.matches ? "" : dark ? "dark" : "light";
        if (chosen) root.dataset.theme = chosen;
        else delete root.dataset.theme;
        try {
            if (chosen) localStorage.setItem("covey-theme", chosen);
            else localStorage.removeItem("covey-theme");
        } catch (e) { /* not allowed to remember */ }
        showTheme();
    }

    themeButton.addEventListener("click", function () { chooseTheme(!isDark()); });
    system.addEventListener("change", showTheme);
    window.addEventListener("storage", function (event) { /* another tab */
        if (event.key !== "covey-theme") return;
        if (event.newValue) root.dataset.theme = event.newValue;
        else delete root.dataset.theme;
        showTheme();
    });
    showTheme();

    /* ---- C or C++, where a page has both */

    var languages = [["c", "C"], ["cpp", "C++"]], languageButtons = [];

    function showLanguage(name) {
        root.dataset.language = name;
        languageButtons.forEach(function (button) {
            button.setAttribute("aria-pressed", String(button.dataset.of === name));
        });
    }

    /* Blocks above may become longer or shorter: what was clicked stays where it is on the screen. */
    function chooseLanguage(button) {
        var before = button.getBoundingClientRect().top;
        showLanguage(button.dataset.of);
        window.scrollBy(0, button.getBoundingClientRect().top - before);
        try { localStorage.setItem("covey-language", button.dataset.of); } catch (e) { /* not allowed to remember */ }
    }

    document.querySelectorAll(".both").forEach(function (box) {
        var group = element("div", "languages", "");
        group.setAttribute("role", "group");
        group.setAttribute("aria-label", "Language");
        languages.forEach(function (language) {
            var button = element("button", "", language[1]);
            button.type = "button";
            button.dataset.of = language[0];
            button.addEventListener("click", function () { chooseLanguage(button); });
            languageButtons.push(button);
            group.appendChild(button);
        });
        box.insertBefore(group, box.firstChild);
    });
    window.addEventListener("storage", function (event) { /* another tab */
        if (event.key === "covey-language" && event.newValue) showLanguage(event.newValue);
    });
    showLanguage(root.dataset.language);

    /* ---- The search: index.js has [heading, page, address, text] for each section and each name */

    var input = byId("site-search"), results = byId("site-results"), chosen = -1, loading = false;

    function load() {
        if (loading) return;
        loading = true;
        var script = document.createElement("script");
        script.src = top + "index.js";
        script.onload = search;
        document.head.appendChild(script);
    }

    /* Words that say nothing about the topic, unless there are no others. */
    var fillers = ["a", "all", "an", "and", "by", "do", "for", "from", "how", "i", "in", "is", "my", "of", "on", "the", "to",
        "what", "with"];

    function wordsOf(text) {
        var words = text.toLowerCase().split(/[\s,?]+/).filter(Boolean);
        var telling = words.filter(function (word) { return fillers.indexOf(word) < 0; });
        return telling.length ? telling : words;
    }

    /* Deterministic for determinism, destroy for destroying. */
    function stem(word) { return word.length > 5 ? word.replace(/(isms?|istic|ings?|ions?|ed|es|s)$/, "") : word; }

    /* All words must be there. A heading counts more than the text, the whole of it more than a part; the name of a
     * function of C++ counts as much with its class and namespace as without. */
    function score(item, words) {
        var heading = item[0].toLowerCase(), page = item[1].toLowerCase(), text = item[3].toLowerCase(), sum = 0;
        if (words.length > 1 && (", " + heading + ",").indexOf(", " + words.join(" ") + ",") >= 0) sum += 150;
        for (var i = 0; i < words.length; i++) {
            var word = words[i], one = 0;
            if (heading === word) one = 100;
            else if (heading === "covey_" + word) one = 90;
            else if ((", " + heading + ",").indexOf(", " + word + ",") >= 0) one = 85;
            else if (heading.slice(-word.length - 2) === "::" + word) one = 80;
            else if (heading.indexOf(word) === 0) one = 40;
            else if (heading.indexOf(word) >= 0) one = 25;
            else if (page.indexOf(word) >= 0) one = 8;
            else if (text.indexOf(word) >= 0) one = 4;
            else if ((heading + " " + text).indexOf(stem(word)) >= 0) one = 2;
            if (one === 0) return 0;
            sum += one;
        }
        return sum - heading.length / 100;
    }

    function excerpt(text, word) {
        var at = Math.max(0, text.toLowerCase().indexOf(word) - 40);
        return (at > 0 ? "… " : "") + text.slice(at, at + 130) + (text.length > at + 130 ? " …" : "");
    }

    function element(name, className, text) {
        var made = document.createElement(name);
        made.className = className;
        made.textContent = text;
        return made;
    }

    function show(found, words) {
        results.textContent = "";
        chosen = -1;
        found.forEach(function (item) {
            var link = element("a", "", "");
            link.href = top + item[2];
            link.setAttribute("role", "option");
            link.appendChild(element("b", "", item[0]));
            if (item[1] !== item[0]) link.appendChild(element("i", "", item[1]));
            link.appendChild(element("span", "", excerpt(item[3], words[0])));
            results.appendChild(link);
        });
        if (!found.length) results.appendChild(element("p", "", "Nothing found."));
        results.hidden = false;
    }

    function search() {
        var words = wordsOf(input.value);
        if (!words.length || !window.coveyIndex) {
            results.hidden = true;
            return;
        }
        var found = window.coveyIndex.map(function (item) { return [score(item, words), item]; })
            .filter(function (pair) { return pair[0] > 0; })
            .sort(function (a, b) { return b[0] - a[0]; })
            .slice(0, 20)
            .map(function (pair) { return pair[1]; });
        show(found, words);
    }

    function choose(step) {
        var links = results.querySelectorAll("a");
        if (!links.length) return;
        if (links[chosen]) links[chosen].classList.remove("chosen");
        chosen = (chosen + step + links.length) % links.length;
        links[chosen].classList.add("chosen");
        links[chosen].scrollIntoView({ block: "nearest" });
    }

    input.addEventListener("focus", load);
    input.addEventListener("input", function () { load(); search(); });
    input.addEventListener("keydown", function (event) {
        var links = results.querySelectorAll("a");
        if (event.key === "ArrowDown") choose(1);
        else if (event.key === "ArrowUp") choose(chosen < 0 ? 0 : -1);
        else if (event.key === "Enter" && links.length) location.href = links[Math.max(chosen, 0)].href;
        else if (event.key === "Escape") { input.value = ""; results.hidden = true; input.blur(); }
        else return;
        event.preventDefault();
    });
    document.addEventListener("click", function (event) {
        if (!event.target.closest(".search")) results.hidden = true;
        if (event.target.closest("#site-results a")) results.hidden = true;
    });
    document.addEventListener("keydown", function (event) {
        if (event.key !== "/" || /input|textarea/i.test(event.target.tagName)) return;
        event.preventDefault();
        input.focus();
    });
})();
