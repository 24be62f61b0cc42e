/* The menu on small screens, dark and light, and the search. Everything works without it but these three. */
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

    function isDark() {
        return root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    }
    byId("site-theme-button").addEventListener("click", function () {
        root.dataset.theme = isDark() ? "light" : "dark";
        try { localStorage.setItem("covey-theme", root.dataset.theme); } catch (e) { /* not allowed to remember */ }
    });

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

    /* All words must be there. A heading counts more than the text, the whole of it more than a part. */
    function score(item, words) {
        var heading = item[0].toLowerCase(), page = item[1].toLowerCase(), text = item[3].toLowerCase(), sum = 0;
        for (var i = 0; i < words.length; i++) {
            var word = words[i], one = 0;
            if (heading === word) one = 100;
            else if (heading === "covey_" + word) one = 90;
            else if (heading.indexOf(word) === 0) one = 40;
            else if (heading.indexOf(word) >= 0) one = 25;
            else if (page.indexOf(word) >= 0) one = 8;
            else if (text.indexOf(word) >= 0) one = 4;
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
        var words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
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
